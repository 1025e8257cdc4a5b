"""The protocols that agents speak to their model."""
