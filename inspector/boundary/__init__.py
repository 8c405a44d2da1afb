"""The boundary decides which parts of a result may reach a model, with a reason for each removal.

It has three levels: `open` withholds nothing, `declared` what declarations mark as sensitive, `closed`
everything that no output schema describes.
"""
