"""One classifier per label, on an encoder that is learned with them."""
