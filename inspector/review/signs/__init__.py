"""Signs that a sentence gives orders to a model: small patterns over its words, each with a weight and a reason.

A pattern asks for words of several kinds in one sentence, most of them near each other, so that no single word gives
a sign. The patterns are in the TOML files of this folder; conditions.py says how they are written. Windows are of
bounded length and every sentence is looked at once: the cost is linear in the words.
"""
