"""Where documents and questions come from: one component for each place."""
