"""ResNet, Fractional-DNN, DenseNet and feedforward nets with fixed or learned time steps."""
