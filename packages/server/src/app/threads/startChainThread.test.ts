import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import type { AppError } from '../../lib/errors.ts'
import { createLogger } from '../../lib/logger.ts'
import type { ChainThreadData } from './chainThread.ts'
import { prepareChainThread, startChainThread } from './startChainThread.ts'

// A fake worker that fails like one at its memory limit. On newer Node.js versions a real one would
// end the test process.
const fullThread = `
  require('node:worker_threads').parentPort.once('message', () => {
    throw Object.assign(new Error('full'), { code: 'ERR_WORKER_OUT_OF_MEMORY' })
  })
`

test('error: a thread at its memory limit stops its chain, not the process', async () => {
  const worker = new Worker(fullThread, { eval: true })
  onTestFinished(async () => void (await worker.terminate()))
  const error = await new Promise<AppError>((onFailed) => {
    startChainThread({
      data: { start: { setup: { profile: { name: 'base' } } } } as ChainThreadData,
      prepared: worker,
      onEntries: () => undefined,
      onProgress: () => undefined,
      onRewind: () => undefined,
      onFailed,
      logger: createLogger('silent'),
    })
  })
  expect(error).toMatchObject({ code: 'THREAD_OUT_OF_MEMORY', retryable: true })
  expect(error.meta).toContain('Thread: chain base')
})

test("default: a chain's thread has a memory limit", async () => {
  const worker = prepareChainThread('evm')
  expect(worker.resourceLimits?.maxOldGenerationSizeMb).toBe(2_048)
  await worker.terminate()
})
