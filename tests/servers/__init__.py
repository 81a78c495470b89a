"""Real servers on loopback for tests of remote storage; README.md says what each does."""
