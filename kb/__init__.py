"""kb: the knowledge base that debugging sessions write."""

__version__ = "0.1.0"
