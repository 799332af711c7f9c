"""The fast path: loss, gradient and prediction on preallocated buffers."""
