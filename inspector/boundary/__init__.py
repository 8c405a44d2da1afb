"""The boundary: which parts of a result may reach a model, and why the rest may not."""
