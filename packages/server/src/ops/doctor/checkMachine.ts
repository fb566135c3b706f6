import { existsSync, statfsSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'
import { dirname, resolve } from 'node:path'
import { openFilesReserve } from '../../app/fitOpenFiles.ts'
import { machineBytes, marketMemoryOf } from '../../config/schema/limitsSchema.ts'
import { readOpenFilesMax } from '../../lib/files/openFiles.ts'
import { type DoctorCheck, type DoctorFinding, findingsOf } from './finding.ts'

const diskBytesMin = 1e9
const diskBytesPlenty = 10e9
// Minimum of memory: the program with an empty market and its private PostgreSQL. Plenty of memory:
// a small market of one chain.
const memoryBytesMin = 0.5e9
const memoryBytesPlenty = 2e9
/** Warn if markets may use more than this share of the machine's memory. */
const marketShareMax = 0.75
// Client connections that a small service needs.
const connectionsPlenty = 1_024

const { ok, warn, fail } = findingsOf('machine')

/** Checks open files, memory, and the disk of the data directory. */
export const checkMachine: DoctorCheck = async ({ config }) => {
  const { folder, bytes } = freeDisk(config.data_dir)
  return [
    openFilesFinding(readOpenFilesMax(), openFilesReserve(config)),
    memoryFinding(freeMemory(), totalmem()),
    marketMemoryFinding(marketMemoryOf(config), machineBytes()),
    diskFinding(bytes, folder),
  ]
}

export function openFilesFinding(max: number | null, reserve: number): DoctorFinding {
  if (max === null) return ok('open files', 'The system reports no limit.')
  const text = `${max} are allowed; the service itself needs ${reserve}.`
  if (max >= reserve + connectionsPlenty) return ok('open files', text)
  const advice = 'Each client needs one more: ulimit -n 65536, or LimitNOFILE= in a systemd unit.'
  return max <= reserve ? fail('open files', text, advice) : warn('open files', text, advice)
}

export function memoryFinding(free: number, total: number): DoctorFinding {
  const text = `${gigabytes(free)} of ${gigabytes(total)} are free.`
  const advice = 'docs/operate/scale.md lists what chains and clients need.'
  if (free < memoryBytesMin) return fail('memory', text, advice)
  return free < memoryBytesPlenty ? warn('memory', text, advice) : ok('memory', text)
}

export function marketMemoryFinding(given: number, machine: number): DoctorFinding {
  const text = `Tokens and pairs of all chains may use ${gigabytes(given)} of ${gigabytes(machine)}.`
  const advice = 'Lower market_memory: clients, the database and recent trades also need memory.'
  return given > machine * marketShareMax
    ? warn('market memory', text, advice)
    : ok('market memory', text)
}

export function diskFinding(free: number, folder: string): DoctorFinding {
  const text = `${gigabytes(free)} are free at ${folder}.`
  if (free < diskBytesMin)
    return fail('disk', text, 'Free space or move data_dir: the service stops on a full disk.')
  if (free < diskBytesPlenty)
    return warn(
      'disk',
      text,
      'A busy chain writes several GB per day; retention limits how much is kept.',
    )
  return ok('disk', text)
}

/** Free memory; inside a container, free memory of its limit. */
function freeMemory(): number {
  const limit = process.constrainedMemory() ?? 0
  const isLimited = limit > 0 && limit < totalmem()
  return isLimited ? Math.min(limit - process.memoryUsage.rss(), freemem()) : freemem()
}

function freeDisk(dataDir: string): { folder: string; bytes: number } {
  let folder = resolve(dataDir)
  // The data directory may not exist before the first start: check its nearest existing parent.
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  return { folder, bytes: bavail * bsize }
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`
}
