"""What servers and pages declare about their tools and results."""
