import type { AppFunctions } from './appFunctions.ts'

/** Imports the service itself, which is most of the program. */
export async function loadApp(): Promise<AppFunctions> {
  const modules = await Promise.all([
    import('../app/startApp.ts'),
    import('../app/runBackfill.ts'),
    import('../app/data/readStoredStatus.ts'),
    import('../app/keys/openKeys.ts'),
    import('../app/data/backupData.ts'),
    import('../app/data/restoreData.ts'),
  ])
  const [{ startApp }, { runBackfill }, { readStoredStatus }, { openKeys }, ...copies] = modules
  const [{ backupData }, { restoreData }] = copies
  return { startApp, runBackfill, readStoredStatus, openKeys, backupData, restoreData }
}
