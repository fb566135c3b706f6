// Every property test draws by the seed of the run, which vitest.config.ts chooses.
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED) })
