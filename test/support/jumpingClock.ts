import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'

/** Wall clock of processes with this environment. Monotonic clocks are unchanged. */
export type JumpingClock = {
  env: NodeJS.ProcessEnv
  /** Offset from the real time. */
  offsetHours(): number
  jump(hours: number): Promise<void>
}

/** The offset is stored in `file`. */
export async function createJumpingClock(file: string): Promise<JumpingClock> {
  const script = resolve(import.meta.dirname, '../installFaketime.sh')
  const library = execFileSync('bash', [script], { encoding: 'utf8' }).trim()
  let shown = 0
  const jump = async (hours: number) => {
    shown = hours
    await writeFile(file, `${hours < 0 ? '' : '+'}${hours}h\n`)
  }
  await jump(0)
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  return { env, offsetHours: () => shown, jump }
}

const hourMs = 3_600_000

/** Whether a response's Date header shows a clock with this offset. */
export function showsClockOffset(response: Response, hours: number): boolean {
  const shownMs = Date.parse(response.headers.get('date') ?? '')
  return Math.abs(shownMs - Date.now() - hours * hourMs) < hourMs / 2
}
