"""What a page loads, read from its files. Pure: bytes in, edges out."""
