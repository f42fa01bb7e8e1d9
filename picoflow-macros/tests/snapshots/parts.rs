impl Step for SupportStep {
    const ID: crate::facade::__private::StepId = crate::facade::__private::StepId::new(
        "SupportStep",
    );
    #[doc(hidden)]
    const TABLE: crate::facade::__private::ToolTable = crate::facade::__private::ToolTable {
        blocks: &[
            crate::facade::__private::Block {
                tools: &[],
                groups: &[],
                definitions: &[],
                hooks: &[],
                plain: &[],
                references: &[],
            },
            <Self as crate::facade::__private::check::Part<
                4613189061923820124u64,
            >>::BLOCK,
            <Self as crate::facade::__private::check::Part<
                10308007234874524100u64,
            >>::BLOCK,
        ],
        parts: &["billing", "returns"],
    };
    #[doc(hidden)]
    fn __methods(
        __picoflow_block: usize,
    ) -> &'static [crate::facade::__private::Method<Self>]
    where
        for<'__picoflow> Self: crate::facade::__private::check::Shared,
    {
        match __picoflow_block {
            0 => const { &[] }
            1usize => {
                <Self as crate::facade::__private::check::Part<
                    4613189061923820124u64,
                >>::__methods()
            }
            2usize => {
                <Self as crate::facade::__private::check::Part<
                    10308007234874524100u64,
                >>::__methods()
            }
            _ => &[],
        }
    }
}
#[automatically_derived]
impl crate::facade::__private::check::Listed<4613189061923820124u64> for SupportStep {}
#[automatically_derived]
impl crate::facade::__private::check::Listed<10308007234874524100u64> for SupportStep {}
const _: () = crate::facade::__private::check::step::<SupportStep>();
