"""gradcheck and gradgradcheck: gradients compared with finite differences."""
