"""Methods of the questions that the paper leaves open: one file per study."""
