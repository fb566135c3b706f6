// Every property test draws from the run's seed, which vitest.config.ts chooses.
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED) })
