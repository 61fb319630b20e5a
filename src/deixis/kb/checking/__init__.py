"""What is odd about a knowledge base file, before anything is built from it."""
