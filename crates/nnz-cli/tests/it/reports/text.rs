//! SVMlight, edge lists, tables, fragments and other text.
