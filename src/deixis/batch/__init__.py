"""Many documents on many processes: files cut into shards, and a ledger with which a stopped run goes on."""
