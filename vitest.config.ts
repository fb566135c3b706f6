import { defineConfig } from 'vitest/config'

const fuzz = ['packages/*/src/**/*.fuzz.test.ts']
const integration = ['test/integration/**/*.test.ts']

// Pure tests first; those that start a chain, a database or the whole program come last, one at a time.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'test/*.test.ts'],
          exclude: fuzz,
          // A busy machine is slow, not wrong.
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { name: 'fuzz', include: fuzz, testTimeout: 120_000, sequence: { groupOrder: 1 } } },
      {
        test: {
          name: 'integration',
          include: integration,
          testTimeout: 600_000,
          hookTimeout: 300_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
