import { setTimeout as delay } from 'node:timers/promises'

const pollMs = 20

/** For `vi.waitFor` and `expect.poll`, whose own second is soon over on a busy machine. */
export const untilAnswered = { timeout: 20_000 }

/** Waits for a condition, for as long as the test may take. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  timeoutMs = 120_000,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error(`Timed out waiting until ${what}.`)
    await delay(pollMs)
  }
}
