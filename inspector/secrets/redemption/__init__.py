"""The parts of the redemption fetch. `fetch` imports httpx; import it where a redemption runs, not before."""
