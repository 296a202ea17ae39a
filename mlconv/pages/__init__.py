"""Pages: what a run has to say as one HTML file each, which shows itself and asks for nothing else."""
