import { expect, test } from 'vitest'
import { unlimitedPlan } from '../../../../../../test/support/memoryKeys.ts'
import { createRandom } from '../../../../../../test/support/random.ts'
import { requestRateOf } from '../usage/tokenBucket.ts'
import { createKeyPeers, type KeyPeers } from './keyPeers.ts'
import { decodeNotice, encodeNotices } from './peerNotice.ts'

const stepMs = 10
const everyMs = 500

/** Processes with one clock and one line of notices, which arrive some steps after they were sent. */
function createFleet(count: number, { delayMs = 20 } = {}) {
  const clock = { ms: 1_763_000_000_000, nowMs: () => clock.ms }
  const line: { atMs: number; notice: string }[] = []
  const processes: KeyPeers[] = []

  async function send(notices: readonly string[]): Promise<boolean> {
    for (const notice of notices) line.push({ atMs: clock.ms + delayMs, notice })
    return true
  }

  function deliver(): void {
    while (line.length > 0 && line[0]!.atMs <= clock.ms) {
      const { notice } = line.shift()!
      for (const each of processes) each.hear(notice)
    }
  }

  function add(): KeyPeers {
    const peers = createKeyPeers({ clock, everyMs, send })
    processes.push(peers)
    peers.setTold(true)
    return peers
  }

  /** Each reports at a time of its own. */
  function pass(timeMs: number, each: (nowMs: number) => void = () => undefined): void {
    for (const endMs = clock.ms + timeMs; clock.ms < endMs; ) {
      clock.ms += stepMs
      deliver()
      for (const [index, peers] of processes.entries())
        if ((clock.ms / stepMs + index * 7) % (everyMs / stepMs) === 0) void peers.report()
      each(clock.ms)
    }
  }

  for (let index = 0; index < count; index += 1) add()
  pass(1_000)
  return { clock, processes, add, pass }
}

/** Requests that were admitted in a minute, of those that `demand` wants of a process in a step. */
function admittedIn(
  { processes, pass }: ReturnType<typeof createFleet>,
  requestsPerS: number,
  demand: (index: number, stepNumber: number) => number,
): number {
  const rate = requestRateOf(requestsPerS)
  let admitted = 0
  let step = 0
  pass(60_000, (nowMs) => {
    for (const [index, peers] of processes.entries())
      for (let wanted = demand(index, step); wanted > 0; wanted -= 1) {
        const shared = peers.rateOf(1)
        if (shared.waitMs(rate, nowMs) > 0) continue
        shared.take(rate, nowMs)
        admitted += 1
      }
    step += 1
  })
  return admitted
}

const counts = [1, 2, 5, 20]
const rates = [0.5, 5, 100]

test.each(counts.flatMap((count) => rates.map((rate) => [count, rate] as const)))(
  'behavior: %s processes together admit %s requests per second, wherever they are wanted',
  (count, requestsPerS) => {
    const limit = requestsPerS * 60 * 1.1 + count + 1
    const floor = requestsPerS * 60 * 0.9 - count
    const random = createRandom(count * 1_000 + requestsPerS)
    const flood = Math.ceil(requestsPerS / 20)
    const demands = {
      everywhere: () => flood,
      atOne: (index: number) => (index === 0 ? flood : 0),
      movingOn: (index: number, step: number) =>
        index === Math.floor(step / 70) % count ? flood : 0,
      atRandom: () => (random() < 0.3 ? flood : 0),
      inBursts: (_: number, step: number) => (step % 600 < 30 ? flood : 0),
    }
    const admitted = Object.fromEntries(
      Object.entries(demands).map(([name, demand]) => [
        name,
        admittedIn(createFleet(count), requestsPerS, demand),
      ]),
    )
    for (const [name, total] of Object.entries(admitted))
      expect(total, `${name} of ${JSON.stringify(admitted)}`).toBeLessThanOrEqual(limit)
    for (const name of ['everywhere', 'atOne', 'atRandom'])
      expect(admitted[name], `${name} of ${JSON.stringify(admitted)}`).toBeGreaterThanOrEqual(floor)
  },
)

test('behavior: what is wanted within the plan is never refused, at whichever process', () => {
  const fleet = createFleet(3)
  // Nine tenths of the plan, evenly over three processes.
  const wanted = (index: number, step: number) => (step % 10 === index * 3 ? 3 : 0)
  expect(admittedIn(fleet, 100, wanted)).toBe(3 * 3 * 600)
})

test('behavior: who hears nothing of the others keeps to an even share', () => {
  const fleet = createFleet(4)
  for (const peers of fleet.processes) peers.setTold(false)
  const admitted = admittedIn(fleet, 100, () => 5)
  expect(admitted).toBeLessThanOrEqual(100 * 60 * 1.1 + 4)
  expect(admitted).toBeGreaterThan(100 * 60 * 0.9)
})

test('behavior: processes are counted as they come, leave, and fall silent', async () => {
  const { processes, add, pass, clock } = createFleet(3)
  const countsNow = () => processes.map((peers) => peers.count())
  expect(countsNow()).toEqual([3, 3, 3])
  add()
  pass(100)
  expect(countsNow()).toEqual([4, 4, 4, 4])
  await processes.pop()!.close()
  pass(100)
  expect(countsNow()).toEqual([3, 3, 3])
  processes.pop()
  pass(11_000)
  expect(countsNow()).toEqual([2, 2])
  // A clock that jumps makes nobody forget for long.
  clock.ms += 3_600_000
  pass(5_000)
  expect(countsNow()).toEqual([2, 2])
})

/** Until what was opened and closed is under way. */
const told = () => new Promise((resolve) => setImmediate(resolve))

const plan = { ...unlimitedPlan, socketsMax: 4 }
const holder = { key: { id: 7 }, plan, fault: () => null }

function openSocket({ sockets }: KeyPeers) {
  const socket = {
    isOpen: false,
    drop() {
      socket.isOpen = false
      sockets.give(holder, socket)
    },
  }
  socket.isOpen = sockets.take(holder, socket)
  return socket
}

test('behavior: a key has as many sockets as its plan allows, over all processes', async () => {
  const { processes, add, pass } = createFleet(3)
  const opened = [0, 0, 1, 2].map((index) => openSocket(processes[index]!))
  await told()
  pass(100)
  expect(opened.map(({ isOpen }) => isOpen)).toEqual([true, true, true, true])
  for (const peers of processes) expect(openSocket(peers).isOpen).toBe(false)
  // One that comes later is told of all.
  const late = add()
  pass(100)
  expect(openSocket(late).isOpen).toBe(false)
  opened[1]!.drop()
  await told()
  pass(100)
  expect(openSocket(late).isOpen).toBe(true)
  await told()
  pass(100)
  expect(openSocket(processes[2]!).isOpen).toBe(false)
})

test('behavior: of sockets that are opened everywhere at once, those of the first reports stay', async () => {
  const { processes, pass } = createFleet(5)
  const opened = processes.flatMap((peers) => [openSocket(peers), openSocket(peers)])
  expect(opened.every(({ isOpen }) => isOpen)).toBe(true)
  await told()
  pass(200)
  await told()
  pass(200)
  expect(opened.filter(({ isOpen }) => isOpen)).toHaveLength(4)
})

test('behavior: the sockets of a process that is gone count no more', async () => {
  const { processes, pass } = createFleet(2)
  for (let left = 4; left > 0; left -= 1) openSocket(processes[1]!)
  await told()
  pass(100)
  expect(openSocket(processes[0]!).isOpen).toBe(false)
  processes.pop()
  pass(11_000)
  expect(openSocket(processes[0]!).isOpen).toBe(true)
})

test('default: a long notice is sent in parts, and what is none is passed over', () => {
  const long = { from: 'a', kind: 'report', number: 3 } as const
  const reports = Array.from({ length: 250 }, (_, id) => [2_147_483_000 + id, 60_000, 1e9] as const)
  const texts = encodeNotices({ ...long, rates: reports, sockets: [[1, 2]] })
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(8_000)
  const read = texts.map((text) => decodeNotice(text)!)
  expect(read.flatMap((notice) => notice.rates)).toEqual(reports)
  expect(read.flatMap((notice) => notice.sockets)).toEqual([[1, 2]])
  for (const text of ['', '{}', '[]', '["a","other",1,[],[]]', '["a","report",1,[[1]],[]]'])
    expect(decodeNotice(text)).toBe(null)
})
