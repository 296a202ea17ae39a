"""Where things come from: locations, frames."""
