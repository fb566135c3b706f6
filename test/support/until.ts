import { setTimeout as delay } from 'node:timers/promises'

const pollMs = 20

/**
 * Timeout for `vi.waitFor` and `expect.poll`, whose default of a second is too short on a busy
 * machine.
 */
export const pollOptions = { timeout: 20_000 }

/** Waits until a condition holds. `what` names it in the error: "until <what>". */
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
