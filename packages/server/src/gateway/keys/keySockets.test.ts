import { expect, test } from 'vitest'
import { createMemoryKeyStore } from '../../../../../test/support/memoryKeyStore.ts'
import { unlimitedPlan } from '../../../../../test/support/memoryKeys.ts'
import { KeySockets, type SocketCaller } from './keySockets.ts'

const plan = { ...unlimitedPlan, socketsMax: 3 }
const holder: SocketCaller = { key: { id: 7 }, plan, fault: () => null }

/**
 * Creates processes that share one store. Each reports its closed sockets when a test calls
 * `flush`.
 */
function createFleet(count: number) {
  const store = createMemoryKeyStore()
  let sequence = 0
  return Array.from({ length: count }, (_, index) => {
    const session = `${index}`
    let isReachable = true
    const sockets = new KeySockets(async (socket) =>
      isReachable ? await store.takeSocket({ session, ...socket }) : null,
    )
    const lose = () => {
      isReachable = false
    }
    const flush = async () => {
      sequence += 1
      const closedSockets = sockets.drainClosed()
      await store.addUsage({ session, sequence, counts: [], closedSockets })
      return closedSockets
    }
    return { sockets, flush, store, lose }
  })
}

test('behavior: sockets opened in all processes at once stay within the plan', async () => {
  const fleet = createFleet(4)
  const taken = await Promise.all(
    fleet.flatMap(({ sockets }) => [sockets.acquire(holder), sockets.acquire(holder)]),
  )
  expect(taken.filter((isTaken) => isTaken)).toHaveLength(3)
})

test('behavior: a closed socket frees its place here at once, elsewhere once it was written', async () => {
  const [here, there] = createFleet(2) as [Fleet, Fleet]
  for (let left = 3; left > 0; left -= 1) expect(await here.sockets.acquire(holder)).toBe(true)
  // The store is not asked, because this process has all sockets of the key.
  expect(here.sockets.acquire(holder)).toBe(false)
  here.sockets.release(holder)
  expect(await there.sockets.acquire(holder)).toBe(false)
  expect(here.sockets.acquire(holder)).toBe(true)
  here.sockets.release(holder)
  expect(await here.flush()).toEqual([{ keyId: 7, count: 1 }])
  expect(await here.flush()).toEqual([])
  expect(await there.sockets.acquire(holder)).toBe(true)
  expect(await here.sockets.acquire(holder)).toBe(false)
})

test('behavior: without the store each process counts its own sockets, and reports only stored sockets', async () => {
  const [here, there] = createFleet(2) as [Fleet, Fleet]
  expect(await here.sockets.acquire(holder)).toBe(true)
  there.lose()
  for (let left = 3; left > 0; left -= 1) expect(await there.sockets.acquire(holder)).toBe(true)
  expect(await there.sockets.acquire(holder)).toBe(false)
  for (let left = 3; left > 0; left -= 1) there.sockets.release(holder)
  expect(await there.flush()).toEqual([])
})

test('behavior: the store is not asked for unlimited plans and browser keys', () => {
  const [{ sockets, store }] = createFleet(1) as [Fleet]
  expect(sockets.acquire({ ...holder, plan: unlimitedPlan })).toBe(true)
  expect(sockets.acquire({ ...holder, key: { id: -1 } })).toBe(true)
  expect(store.calls.takeSocket).toBe(undefined)
})

type Fleet = ReturnType<typeof createFleet>[number]
