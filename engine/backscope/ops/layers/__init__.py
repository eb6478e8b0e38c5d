"""What layers of networks compute: convolutions, normalizations, attention, recurrence, embeddings."""
