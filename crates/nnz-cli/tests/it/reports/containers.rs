//! HDF5 files and Zarr stores.
