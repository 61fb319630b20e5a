"""Link text to your own knowledge base."""

__version__ = "0.1.0"
