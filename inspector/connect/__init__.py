"""Input and output: the only importer of protocol libraries. Bytes become frames here."""
