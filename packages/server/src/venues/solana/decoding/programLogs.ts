import type { Call } from './call.ts'

/** Data that a program logged, or text in the case of Raydium's first AMM; still in base64. */
export type LoggedEvent = { call: number; text: string; isRayLog: boolean }

const dataPrefix = 'Program data: '
const logPrefix = 'Program log: '
const rayLogPrefix = 'Program log: ray_log: '
const programPrefix = 'Program '
const invokeWord = ' invoke ['
const truncated = 'Log truncated'
const zeroCode = 48

// Run by the validator itself, without a line in the logs.
const silentPrograms: ReadonlySet<string> = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
])

/** Did the transaction log more than nodes keep? */
export function areLogsTruncated(logs: readonly string[]): boolean {
  return logs.at(-1) === truncated
}

/**
 * Assigns each logged event to its instruction. Lines of the validator begin with the program's id,
 * lines of a program with a word of the validator's, so no program can forge the former. Stops
 * where node and logs disagree or the logs were cut. Also sets heights of instructions that the
 * node left out.
 */
export function readProgramLogs(logs: readonly string[], calls: readonly Call[]): LoggedEvent[] {
  const events: LoggedEvent[] = []
  const running: Call[] = []
  let next = 0
  for (const line of logs) {
    if (line.startsWith(dataPrefix)) {
      const call = running.at(-1)
      if (call === undefined) return events
      const end = line.indexOf(' ', dataPrefix.length)
      const text = line.slice(dataPrefix.length, end < 0 ? undefined : end)
      events.push({ call: call.index, text, isRayLog: false })
    } else if (line.startsWith(logPrefix)) {
      const call = running.at(-1)
      if (call !== undefined && line.startsWith(rayLogPrefix))
        events.push({ call: call.index, text: line.slice(rayLogPrefix.length), isRayLog: true })
    } else if (line === truncated) {
      return events
    } else if (line.startsWith(programPrefix)) {
      const at = line.indexOf(' ', programPrefix.length)
      if (line.startsWith(invokeWord, at)) {
        while (next < calls.length && silentPrograms.has(calls[next]!.program)) next++
        const call = calls[next++]
        if (call === undefined || !isSame(call, line, at)) return events
        running.push(call)
      } else if (isEnd(line, at)) running.pop()
    }
  }
  return events
}

/** Does the line, whose program ends at `programEnd`, say that the call begins? */
function isSame(call: Call, line: string, programEnd: number): boolean {
  const { program } = call
  if (programPrefix.length + program.length !== programEnd) return false
  if (!line.startsWith(program, programPrefix.length)) return false
  const height = heightAt(line, programEnd + invokeWord.length)
  if (call.height === 0) call.height = height
  return call.height === height
}

function heightAt(line: string, at: number): number {
  // Calls go five deep, or nine.
  if (line.length === at + 2) return line.charCodeAt(at) - zeroCode
  return Number.parseInt(line.slice(at), 10)
}

function isEnd(line: string, at: number): boolean {
  return line.startsWith(' success', at) || line.startsWith(' failed', at)
}
