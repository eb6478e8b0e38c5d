"""What those who run a server see and decide: metrics, health, logs, and who may start programs."""
