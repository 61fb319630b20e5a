"""The stages of linking, one function each; `deixis.linking.pipeline` knows their order."""
