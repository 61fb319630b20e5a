"""What runs the service: processes, queues, logs, limits."""
