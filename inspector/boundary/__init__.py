"""The boundary decides which parts of a result may reach a model, with a reason for each removal.

It has three levels. `open` withholds nothing. `declared` withholds what declarations mark as sensitive.
`closed` also withholds everything that no output schema describes.
"""
