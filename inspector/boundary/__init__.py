"""The boundary decides which parts of a result may reach a model, with a reason for each removal."""
