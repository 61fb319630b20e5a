"""Processes, queues, logs and limits of the service."""
