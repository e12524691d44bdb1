//! Binsparse matrices and tensors: a JSON descriptor and named arrays, in any container.
