"""Signs that a sentence gives instructions to a model: patterns of words, each with a weight and a reason.

A pattern combines words of several kinds in one sentence, most of them close together, so that no single word
is a sign. The TOML files in this folder contain the patterns; conditions.py documents their format. Words
that belong together must be close, and each sentence is read once, so the cost is linear in the words.
"""
