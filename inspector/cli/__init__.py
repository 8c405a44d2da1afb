"""The command line: stdout for data, stderr for everything else."""
