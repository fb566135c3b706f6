/** Usual time of a slot since epoch 1037 (September 2026). */
export const slotMs = 250
