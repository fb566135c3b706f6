import { currentKey } from './session.ts'

// Imported before all else: the key is on its way while the rest of the program is still being evaluated.
currentKey().catch(() => undefined)
