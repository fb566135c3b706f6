import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Whoever changed nothing sees nothing change: property tests draw the same every time, unless told otherwise.
const pinnedSeed = 1
const { FUZZ_SEED: chosenSeed = `${pinnedSeed}` } = process.env
const fuzzSeed = chosenSeed === 'random' ? randomInt(2 ** 31) : Number(chosenSeed)
if (!Number.isInteger(fuzzSeed)) throw new Error('FUZZ_SEED is an integer, or the word random.')
if (fuzzSeed !== pinnedSeed) process.stdout.write(`Property tests draw by FUZZ_SEED=${fuzzSeed}\n`)
const seeded = {
  env: { FUZZ_SEED: `${fuzzSeed}` },
  setupFiles: ['test/support/seedProperties.ts', 'test/support/closeServers.ts'],
}

const fuzz = ['packages/*/src/**/*.fuzz.test.ts']

// Attacks that need no process, beside those on single functions that lie beside the code.
const security = [
  'test/security/*.test.ts',
  'packages/server/src/gateway/{clients,http/admin,keys}/**/*.test.ts',
  'packages/server/src/gateway/http/{rawHttp,browserKeyRoute,mcpMetering}.test.ts',
  'packages/server/src/gateway/ws/{floods,limits,liveness,protocol}.test.ts',
  'packages/server/src/gateway/inputParsers.test.ts',
  'packages/server/src/chain/rpc/{largeAnswers,quotedSecrets}.test.ts',
  'packages/server/src/cli/hostileText.test.ts',
  'packages/server/src/lib/{hideSecrets,escapeText}.test.ts',
  'packages/server/src/lib/http/*.test.ts',
]

// No module keeps state of its own, so files share what was loaded before them.
const together = {
  pool: 'forks',
  isolate: false,
  // Vitest leaves one core to itself, which of two is half.
  maxWorkers: Math.max(2, availableParallelism() - 1),
} as const

// Each test waits for processes of its own most of the time: three files at once keep two cores busy.
const withServers = (name: string, groupOrder: number) => ({
  test: {
    ...seeded,
    name,
    include: [`test/${name}/*.test.ts`],
    globalSetup: ['test/support/sharedPostgres.ts'],
    // Twice what the slowest takes on a busy machine: one that hangs must not take the time of all others.
    testTimeout: process.env.SOAK === undefined ? 300_000 : 3_600_000,
    hookTimeout: 180_000,
    maxWorkers: 3,
    sequence: { groupOrder },
  },
})

// CONTRIBUTING.md says which command runs which project, and what each folder of test/ needs.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...seeded,
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'test/*.test.ts'],
          exclude: [...fuzz, ...security],
          ...together,
          // The longest takes 5 s on a busy machine. A limit that a slow machine reaches would fail for no reason.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...seeded,
          name: 'fuzz',
          include: fuzz,
          ...together,
          testTimeout: 300_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...seeded,
          name: 'security',
          include: security,
          exclude: fuzz,
          ...together,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'packages',
          include: ['test/packages/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 300_000,
          // Runs beside integration, whose number of workers it must have.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      withServers('integration', 2),
      withServers('chain', 3),
      withServers('database', 3),
      withServers('process', 3),
      withServers('browser', 3),
      withServers('faults', 3),
      withServers('security/slow', 3),
      withServers('packages/slow', 3),
      withServers('cluster', 4),
      withServers('image', 6),
      {
        test: {
          name: 'equality',
          include: ['test/equality/*.test.ts'],
          // The first run of a reference builds it, and may install its packages.
          testTimeout: 1_200_000,
          sequence: { groupOrder: 5 },
        },
      },
    ],
  },
})
