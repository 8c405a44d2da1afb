"""The timeline, and the frames of its entries as they were on the wire."""
