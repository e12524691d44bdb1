//! Sparse and dense data as text: SVMlight, edge lists, METIS graphs and tables of numbers.

pub mod table;
