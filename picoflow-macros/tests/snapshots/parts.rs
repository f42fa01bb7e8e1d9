impl Step for SupportStep {
    const ID: crate::facade::__private::StepId = crate::facade::__private::StepId::new(
        "SupportStep",
    );
    #[doc(hidden)]
    const TABLE: crate::facade::__private::ToolTable<Self> = crate::facade::__private::ToolTable {
        blocks: &[
            crate::facade::__private::Block {
                methods: &[],
                tools: &[],
                groups: &[],
                definitions: &[],
                hooks: &[],
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
}
#[automatically_derived]
impl crate::facade::__private::check::Listed<4613189061923820124u64> for SupportStep {}
#[automatically_derived]
impl crate::facade::__private::check::Listed<10308007234874524100u64> for SupportStep {}
const _: () = crate::facade::__private::check::step::<SupportStep>();
