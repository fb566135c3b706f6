import type { AppFunctions } from './appFunctions.ts'

/** Imports the service itself, which is most of the program. */
export async function loadApp(): Promise<AppFunctions> {
  const [{ startApp }, { runBackfill }, { readStoredStatus }, { openKeys }] = await Promise.all([
    import('../app/startApp.ts'),
    import('../app/runBackfill.ts'),
    import('../app/readStoredStatus.ts'),
    import('../app/openKeys.ts'),
  ])
  return { startApp, runBackfill, readStoredStatus, openKeys }
}
