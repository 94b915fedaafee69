//! The checks of a recipe, each made once, at decode, by bits: no floating-point operation is linked for them.

use crate::error::RecipeField;
use crate::format::recipe::{
    ChannelWords, Feature, FeatureKind, KINDS, MAX_BAND_BLOCK, MAX_BLOCKS, MAX_CHANNELS, MAX_DRIFT_LIMIT, MAX_EXPONENT,
    MAX_HISTORY, MAX_MOMENT_SHIFT, MAX_WINDOW, OFFSET_BITS, RELATIVE, RecipeHead, ensure,
};
use crate::read::check::next_name;
use crate::read::recipe::Recipe;
use crate::rolled::keep_rolled;

/// Checks a recipe for a model with that many features.
#[inline(never)]
pub(crate) fn recipe(bytes: &[u8], features: u16) -> Result<Recipe<'_>, RecipeField> {
    check_head(Recipe::head_of(bytes).ok_or(RecipeField::Length)?, features)?;
    let recipe = Recipe::split(bytes).ok_or(RecipeField::Length)?;
    for channel in 0..recipe.channels() {
        check_channel(&recipe, channel)?;
        keep_rolled();
    }
    for &word in recipe.feature_words() {
        check_feature(&recipe, word)?;
        keep_rolled();
    }
    let mut names = recipe.names();
    for _ in 0..recipe.raw_channels() {
        names = next_name(names).ok_or(RecipeField::Names)?.1;
        keep_rolled();
    }
    ensure(names.is_empty(), RecipeField::Names)?;
    Ok(recipe)
}

#[inline(always)]
fn check_head(head: RecipeHead<'_>, features: u16) -> Result<(), RecipeField> {
    let within = |value: usize, most: usize| value.wrapping_sub(1) < most;
    ensure(head.input() <= 1, RecipeField::Input)?;
    ensure(within(head.channels().into(), MAX_CHANNELS), RecipeField::Channels)?;
    ensure(usize::from(head.magnitudes()) <= MAX_CHANNELS, RecipeField::Magnitudes)?;
    ensure(within(head.blocks().into(), MAX_BLOCKS), RecipeField::Blocks)?;
    ensure(within(head.hop().into(), i16::MAX as usize), RecipeField::Hop)?;
    ensure(u32::from(head.hop()) * u32::from(head.blocks()) <= MAX_WINDOW, RecipeField::Window)?;
    // Normal and positive: bits are ordered like numbers.
    let normal = f32::MIN_POSITIVE.to_bits()..=f32::MAX.to_bits();
    ensure(normal.contains(&head.rate_bits()), RecipeField::Rate)?;
    let [of, on, off, reserved] = head.alarm();
    let alarm = (1..=MAX_HISTORY).contains(&of) && (1..=of).contains(&on) && off >= 1;
    ensure(alarm, RecipeField::Alarm)?;
    ensure(head.features() == features, RecipeField::Features)?;
    ensure(reserved == 0 && head.reserved() == 0, RecipeField::Reserved)?;
    for chart in head.charts() {
        ensure(chart.limit <= MAX_DRIFT_LIMIT, RecipeField::Drift)?;
        keep_rolled();
    }
    Ok(())
}

#[inline(always)]
fn check_channel(recipe: &Recipe<'_>, index: usize) -> Result<(), RecipeField> {
    let Some(channel) = recipe.channel(index) else {
        return Err(RecipeField::Length);
    };
    ensure(channel.exponent.unsigned_abs() <= MAX_EXPONENT as u32, RecipeField::Exponent)?;
    ensure(channel.moment_shift <= MAX_MOMENT_SHIFT, RecipeField::MomentShift)?;
    if index < recipe.raw_channels() {
        // An f32 with this exponent field lies below 2^(field - 126); so does no NaN or infinity.
        let field = (channel.offset.to_bits() >> 23) & 0xFF;
        return ensure(field as i32 <= 126 + OFFSET_BITS + channel.exponent, RecipeField::Offset);
    }
    let raw = u32::MAX >> (32 - recipe.raw_channels().clamp(1, 32));
    ensure(channel.mask != 0 && channel.mask & !raw == 0, RecipeField::Mask)?;
    for member in 0..recipe.raw_channels() {
        let words = recipe.channel(member);
        let fits = words.is_some_and(|raw| raw.offset.to_bits() == 0 && raw.exponent == channel.exponent);
        ensure(fits || channel.mask >> (member & 31) & 1 == 0, RecipeField::Mask)?;
        keep_rolled();
    }
    Ok(())
}

#[inline(always)]
fn check_feature(recipe: &Recipe<'_>, word: u32) -> Result<(), RecipeField> {
    let [tag, channel, first, last] = word.to_le_bytes();
    ensure(tag & !RELATIVE < KINDS, RecipeField::Kind)?;
    ensure(usize::from(channel) < recipe.channels(), RecipeField::FeatureChannel)?;
    ensure(tag & RELATIVE == 0 || recipe.baseline() > 0, RecipeField::Relative)?;
    match Feature::read(word).kind {
        FeatureKind::Band { first, last } => {
            let fits = recipe.hop() <= MAX_BAND_BLOCK.into() && 1 <= first && first <= last;
            ensure(fits && 2 * usize::from(last) < recipe.hop(), RecipeField::Band)?;
            ensure(cfg!(feature = "bands"), RecipeField::BandsNotBuilt)
        }
        _ => ensure(first | last == 0, RecipeField::Reserved),
    }
}

const _: () = assert!(size_of::<ChannelWords>() == 8);
