"""What a server asks of its client, and the answers: forms, URLs, sampling, roots."""
