import { expect, test } from 'vitest'
import { createLogger } from '../../lib/logger.ts'
import { openStore } from '../../store/openStore.ts'
import { createRetryingReads, retryStoreCall } from './retryingReads.ts'

const logger = createLogger('silent')
const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const damaged = Object.assign(new Error('invalid page'), { code: 'XX001', severity: 'ERROR' })

function createReads(failures: Error[], signal = new AbortController().signal) {
  let askedCount = 0
  const answer = async () => {
    askedCount += 1
    const failure = failures.shift()
    if (failure) throw failure
    return []
  }
  const store = {
    findPairs: answer,
    findCouples: answer,
    listPairs: answer,
    findTokens: answer,
    loadBalances: answer,
    loadSupplies: answer,
  }
  const reads = createRetryingReads({ store, chainId: 1, logger, signal })
  return { reads, askedCount: () => askedCount }
}

test('default: reads the store once', async () => {
  const { reads, askedCount } = createReads([])
  expect(await reads.findPairs(['a'])).toEqual([])
  expect(askedCount()).toBe(1)
})

test('behavior: retries until the database answers', async () => {
  const { reads, askedCount } = createReads([away, away, away])
  expect(await reads.loadBalances([{ tokenId: 0, wallet: 'w' }])).toEqual([])
  expect(askedCount()).toBe(4)
})

test('behavior: retries opening the store until the database is up', async () => {
  const stopping = new AbortController()
  const connection = { databaseUrl: 'postgres://user@127.0.0.1:1/none' }
  let tries = 0
  const opening = retryStoreCall({ logger, signal: stopping.signal }, async () => {
    tries += 1
    if (tries > 2) return 'opened'
    return await openStore({ connection, logger })
  })
  expect(await opening).toBe('opened')
})

test('error: does not retry an error that a retry cannot fix', async () => {
  const { reads, askedCount } = createReads([damaged])
  await expect(reads.findTokens(['a'])).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
  expect(askedCount()).toBe(1)
})

test('error: an abort ends the retries', async () => {
  const stopping = new AbortController()
  const { reads } = createReads(Array(1_000).fill(away), stopping.signal)
  const reading = reads.loadSupplies([0])
  stopping.abort()
  await expect(reading).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' })
})
