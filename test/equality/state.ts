// The engine after each entry of several logs, with reverts, late facts, and restarts from
// snapshots and images.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, engineFromState } from '../../packages/server/src/engine/engine.ts'
import { decodeImage } from '../../packages/server/src/engine/image/marketImage.ts'
import type { EngineOptions, MarketState } from '../../packages/server/src/engine/marketState.ts'
import { decodeState } from '../../packages/server/src/engine/snapshot/snapshot.ts'
import { PageFile } from '../../packages/server/src/lib/files/marketFiles.ts'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import { BlockGenerator, generatorProfile } from '../support/blockGenerator.ts'
import { joinChunks } from '../support/imagedParts.ts'
import { createRandom } from '../support/random.ts'
import { readRecordedLog } from '../support/recordedFrames.ts'
import {
  playUpgradeMarket,
  readMarket,
  upgradeLimits,
  upgradeProfile,
} from '../support/upgradeMarket.ts'
import type { Emit } from './dump.ts'
import { inReferenceOrder, referenceHash, stateInReferenceOrder } from './referenceHash.ts'

const seedCount = 12
const stepsPerSeed = 120
const stepsBetweenRestarts = 30
/** So small that a market of a few dozen pairs reaches the limits. */
const smallLimits = {
  makersExactMax: 2,
  klineClosesPerBlockMax: 7,
  windowExpiriesPerBlockMax: 5,
  mainPairLeadS: 0,
  mainPairLeadBlocksMin: 3,
  tokenPairsReadMax: 2,
}
const residentBytesMax = 20_000
/** Reads the whole market only every 16 entries: reading takes longer than hashing. */
const readEvery = 16

export function dumpState(emit: Emit): void {
  const seeded = { profile: generatorProfile, ...smallLimits }
  for (let seed = 1; seed <= seedCount; seed += 1)
    play(`seed ${seed}`, generatedLog(seed), seeded, emit)
  const recorded = { profile: upgradeProfile, ...upgradeLimits }
  play('recorded', readRecordedLog().map(inReferenceOrder), recorded, emit)
  for (const seed of [12, 13])
    play(`market ${seed}`, playUpgradeMarket(seed).entries, recorded, emit)
}

/**
 * A log of commits, late facts, reverts and blocks that are committed again. From time to time
 * every block becomes final.
 */
function generatedLog(seed: number): LogEntry[] {
  const random = createRandom(seed)
  const firstPools = seed % 4 === 0 ? 100 : 0
  const generator = new BlockGenerator({
    seed,
    standInShare: 0.3,
    numberStepMax: 1 + (seed % 9),
    firstPools,
  })
  const log: LogEntry[] = []
  const refs: BlockRef[] = []
  let finalCount = 1
  const commit = (block = generator.next()) => {
    refs.push(block.ref)
    log.push({ type: 'commit', block })
  }
  commit()
  for (let step = 1; step <= stepsPerSeed; step += 1) {
    const roll = random()
    const facts = roll < 0.15 ? generator.late() : null
    if (step % stepsBetweenRestarts === 0) {
      const { number, hash } = refs.at(-1)!
      log.push({ type: 'finalize', ref: { number, hash } })
      finalCount = refs.length
    } else if (facts !== null) log.push({ type: 'late', facts })
    else if (roll > 0.75 && refs.length > finalCount) {
      refs.pop()
      log.push({ type: 'revert', ref: generator.revert() })
    } else commit((roll < 0.4 ? generator.again() : null) ?? undefined)
  }
  return log
}

function play(
  name: string,
  entries: readonly LogEntry[],
  options: EngineOptions,
  emit: Emit,
): void {
  const directory = mkdtempSync(join(tmpdir(), 'equality-'))
  const due: (() => void)[] = []
  const paging = {
    residentBytesMax,
    openFile: (file: string, pageBytes: number) => new PageFile(directory, file, pageBytes),
    schedule: (settle: () => void) => due.push(settle),
    onWriteError(error: unknown) {
      throw error
    },
  }
  const restarts = [
    (from: Engine) => stateOf({ ...options, paging }, (to) => decodeImage(to, imageOf(from))),
    (from: Engine) => stateOf(options, (to) => decodeState(to, from.snapshot())),
    (from: Engine) => stateOf({ ...options, paging }, (to) => decodeState(to, from.snapshot())),
  ]
  let state = stateInReferenceOrder(options)
  let engine = engineFromState(state)
  let restarted = 0
  for (const [at, entry] of entries.entries()) {
    engine.apply(entry)
    for (const settle of due.splice(0)) settle()
    if (entry.type === 'finalize' && entry.ref.number === engine.head()?.number) {
      state = restarts[restarted % restarts.length]!(engine)
      engine = engineFromState(state)
      restarted += 1
    }
    const line = `${name} entry ${at} ${entry.type}`
    const isRead = entry.type === 'finalize' || at % readEvery === 0 || at === entries.length - 1
    const reads = isRead ? { reads: emit.digest(line, readMarket(engine)) } : {}
    emit(line, { state: referenceHash(state), ...reads })
  }
  rmSync(directory, { recursive: true })
}

function stateOf(options: EngineOptions, fill: (state: MarketState) => void): MarketState {
  const state = stateInReferenceOrder(options)
  fill(state)
  return state
}

function imageOf(engine: Engine) {
  const bytes = joinChunks(engine.image())
  return {
    name: 'equality.image',
    size: bytes.length,
    onDamaged(error: Error) {
      throw error
    },
    read: (at: number, to: Uint8Array) => void bytes.copy(to, 0, at, at + to.length),
  }
}
