"""Problems, studies, cells, runner and command line: where finite elements and nets meet."""
